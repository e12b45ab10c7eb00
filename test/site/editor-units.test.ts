import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { outlineOf, wayOnPage } from '../../web/editor/ink';
import type { Outline } from '../../web/editor/ink';
import { shortcutKey } from '../../web/editor/keys';
import { addressOf } from '../../web/editor/links';
import { meansFiles } from '../../web/editor/pasted';
import { freePlace } from '../../web/editor/placing';
import { Steps, isInsideWord } from '../../web/editor/steps';

export const lab = Lab.script();
const { describe, it } = lab;

describe('what is dragged in the editor', () => {
    const square = { left: 100, top: 200, width: 100, height: 100 };
    const inside = (outline: Outline, { x, y }: { x: number; y: number }): number => outline.filter((point) => point.x + x > 0 && point.x + x < 320 && point.y + y > 0 && point.y + y < 480).length;
    /** Points within an outline, to see whether any of it is on the page. */
    const filled = (outline: Outline): Outline => outline.flatMap((one) => outline.flatMap((other) => Array.from({ length: 40 }, (_, n) => ({ x: one.x + (other.x - one.x) * n / 40, y: one.y + (other.y - one.y) * n / 40 }))));

    it('keeps some of what is drawn on the page, whatever its form, in all directions', () => {
        const forms = [outlineOf(square, {}), outlineOf(square, { degrees: 45 }), outlineOf(square, { radius: { x: 50, y: 50 } }), outlineOf(square, { isTriangle: true }), outlineOf({ ...square, width: 280 }, { degrees: 30, radius: { x: 20, y: 20 } }), [{ x: 30, y: 210 }]];
        for (const [index, form] of forms.entries()) {
            for (const [x, y] of [[900, 900], [-900, 900], [900, -900], [-900, -900], [900, 0], [0, -900], [-900, 0], [0, 900]] as const) {
                expect(inside(filled(form), wayOnPage([[form]], { x, y })), `${index} ${x} ${y}`).to.be.above(0);
            }
        }
    });

    it('goes where it is wanted while it is seen, and as far as the box of a straight thing allows', () => {
        const box = outlineOf(square, {});
        expect(wayOnPage([[box]], { x: 30, y: -40 })).to.equal({ x: 30, y: -40 });
        expect(wayOnPage([[box]], { x: 900, y: -900 })).to.equal({ x: 210, y: -290 });
        expect(wayOnPage([[box], [outlineOf({ left: 0, top: 0, width: 20, height: 20 }, {})]], { x: 0, y: -900 })).to.equal({ x: 0, y: -10 });
    });
});

describe('something new in the editor', () => {
    const page = { left: 0, top: 0, width: 320, height: 480 };
    const place = (boxes: readonly { left: number; top: number; width: number; height: number; hasWords: boolean }[]): { left: number; top: number } => (
        freePlace({ width: 200, height: 40 }, { boxes: () => [...boxes], visible: () => page, sizeOf: () => page })
    );

    it('lies where it covers nothing', () => {
        const { top } = place([{ left: 0, top: 0, width: 320, height: 200, hasWords: true }, { left: 0, top: 300, width: 320, height: 180, hasWords: false }]);
        expect(top).to.be.above(203).and.to.be.below(257);
    });

    it('covers a picture rather than words, if there is no such place', () => {
        const words = Array.from({ length: 6 }, (_, row) => ({ left: 20, top: 10 + 50 * row, width: 280, height: 40, hasWords: true }));
        expect(place([...words, { left: 0, top: 310, width: 320, height: 170, hasWords: false }]).top).to.be.above(309);
    });
});

describe('a step to undo', () => {
    const edit = (before: string, after: string, id = '1') => [{ type: 'elements' as const, method: 'update' as const, base: { id, revision: 1, attributes: { text: before } }, data: { attributes: { text: after } } }];
    const same = (id: string): string => id;

    it('is a word, or what was written at once', () => {
        for (const [before, after, isInside] of [['Mia', 'Mia on', false], ['Mia o', 'Mia on', true], ['Mia on', 'Mia o', true], ['Mia ', 'Mia on', false], ['', 'M', false], ['Mia on', 'Mia', false], ['\u0643\u062A', '\u0643\u062A\u0627\u0628', true], ['one two', 'one three', true], ['one two', 'one', false]] as const) {
            expect(isInsideWord(before, after), `${before} > ${after}`).to.equal(isInside);
        }
    });

    it('goes on while the same word of the same text does', () => {
        const steps = new Steps();
        const [one, two, three, other] = [edit('', 'Mia o'), edit('Mia o', 'Mia once'), edit('Mia once', 'Mia once upon'), edit('Mia once upon', 'Mia once upone', '2')].map((changes) => steps.next(changes, same));
        expect(two).to.equal(one);
        expect(three).to.not.equal(two);
        expect(other).to.not.equal(three);
        // A partner has written in between.
        steps.next(edit('', 'Mia o'), same);
        const mine = steps.next(edit('Mia o', 'Mia on'), same);
        expect(steps.next(edit('Ben and Mia on', 'Ben and Mia onc'), same)).to.not.equal(mine);
        expect(new Set([steps.next([...edit('a', 'ab'), ...edit('a', 'ab', '2')], same), steps.next([], same), steps.next([], same)]).size).to.equal(3);
    });
});

describe('the address of a link', () => {
    it('is made whole', () => {
        for (const [typed, href] of [
            ['www.example.com', 'https://www.example.com/'], ['youtu.be/x', 'https://youtu.be/x'], [' example.com:8080/a?b#c ', 'https://example.com:8080/a?b#c'], ['//example.com/a', 'https://example.com/a'], ['HTTP://Example.com', 'http://example.com/'],
            ['b\u00FCcher.de', 'https://xn--bcher-kva.de/'], ['\u043F\u0440\u0438\u043C\u0435\u0440.\u0440\u0444', 'https://xn--e1afmkfd.xn--p1ai/'], ['http://localhost:3000/p/1', 'http://localhost:3000/p/1'], ['http://192.168.0.2/', 'http://192.168.0.2/'],
            ['a@b.org', 'mailto:a@b.org'], ['mailto:zoe@example.org', 'mailto:zoe@example.org']
        ] as const) {
            expect(addressOf(typed), typed).to.equal({ href });
        }
    });

    it('is none yet, or none at all', () => {
        for (const typed of ['', 'https://', 'www', 'www.', 'my cat', 'my cat.jpg is here', '3.14', 'https://cat', 'a@b', 'example.']) {
            expect(addressOf(typed), typed).to.equal({ problem: 'unfinished' });
        }

        for (const typed of ['javascript:alert(1)', 'file:///etc/passwd', 'tel:+49123', 'mailto:a@b.org?subject=x', 'data:text/html,x']) {
            expect(addressOf(typed), typed).to.equal({ problem: 'only_web' });
        }
    });
});

describe('a key of a shortcut', () => {
    it('is what it says if that is Latin or a sign, else where it lies', () => {
        for (const [key, code, meant] of [
            ['z', 'KeyZ', 'z'], ['Z', 'KeyZ', 'z'], ['z', 'KeyY', 'z'], ['y', 'KeyZ', 'y'], ['\u044F', 'KeyZ', 'z'], ['\u0626', 'KeyZ', 'z'], ['\u03B6', 'KeyZ', 'z'], ['\u05D6', 'KeyZ', 'z'], ['\u0432', 'KeyD', 'd'], ['\u044A', 'BracketRight', ']'], ['\u0445', 'BracketLeft', '['],
            [']', 'BracketRight', ']'], [']', 'Digit9', ']'], ['\u00E9', 'Digit2', '\u00E9'], ['Delete', 'Delete', 'delete'], ['Escape', 'Escape', 'escape'], ['\u0661', 'Digit1', ''], ['Dead', 'KeyD', 'd']
        ] as const) {
            expect(shortcutKey({ key, code }), `${key} ${code}`).to.equal(meant);
        }
    });
});

describe('what is pasted', () => {
    it('is the text if there is one, and the files else', () => {
        const cells = '<table><tr><td>Apples</td></tr></table>';
        for (const [text, html, names, isFiles] of [
            ['Apples\t12\nPears\t7', cells, ['image.png'], false], ['A text', '<p>A text</p>', ['image.png'], false], ['', '<img src="https://example.com/a.png">', ['image.png'], true], ['', '', ['cat.png'], true],
            ['cat.png', '', ['cat.png'], true], ['/home/mia/cat.png\n/home/mia/dog.png', '', ['cat.png', 'dog.png'], true], ['https://example.com/a.png', '<meta charset="utf-8"><img src="https://example.com/a.png">', ['image.png'], true], ['A text', '', [], false], ['', '', [], false]
        ] as const) {
            expect(meansFiles({ text, html, names }), text).to.equal(isFiles);
        }
    });
});
