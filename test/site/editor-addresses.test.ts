import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { leadsOut } from '../../client/src/render/elements';
import { addressOf } from '../../web/editor/links';

export const lab = script();
const { describe, it } = lab;

describe('an address that somebody types', () => {
    const meant: Readonly<Record<string, readonly string[]>> = {
        'https://www.example.com/': [
            'www.example.com', 'www.example.com.', ' www.example.com, ', '(www.example.com)', '<https://www.example.com>', '"https://www.example.com"', 'HTTPS://WWW.Example.com', '//www.example.com',
            'https//www.example.com', 'https:/www.example.com', 'https://https://www.example.com', 'http://https://www.example.com', 'https:// www.example.com', 'https:\\\\www.example.com', '\u200Bwww.example.com\u202C', 'ｗｗｗ．example．com'
        ],
        'http://example.com/': ['http://example.com', 'http//example.com', 'https://http://example.com'],
        'https://example.com:8080/x': ['example.com:8080/x'],
        'https://xn--mnchen-3ya.de/': ['münchen.de'],
        'https://example.com/my%20file.pdf': ['example.com/my file.pdf'],
        'https://example.com/a_(b)': ['https://example.com/a_(b)'],
        'https://youtu.be/x?t=1#y': ['youtu.be/x?t=1#y'],
        'http://localhost:3000/': ['http://localhost:3000/'],
        'https://[::1]/': ['https://[::1]'],
        'mailto:zoe@example.org': ['zoe@example.org', 'zoe@example.org.', '<zoe@example.org>', 'MAILTO: zoe@example.org', 'https://zoe@example.org', 'https://mailto:zoe@example.org'],
        'mailto:zoë@münchen.de': ['zoë@münchen.de']
    };

    it('is made whole, and can be followed in the player', () => {
        for (const [href, all] of Object.entries(meant)) {
            expect(leadsOut(href), href).to.be.true();
            all.forEach((typed) => expect(addressOf(typed), typed).to.equal({ href }));
        }
    });

    it('is named as what it is if nobody could follow it', () => {
        for (const typed of ['', 'https://', 'my cat', 'See https://example.com', 'https://example.com/a https://example.com/b', '3.14', 'cat.jpg', 'o\'neill@school.org', 'a&b@x.org', 'zoe@example', 'zoe@x.org,bo@x.org', 'localhost:3000', '+49 123']) {
            expect(addressOf(typed), typed).to.equal({ problem: 'unfinished' });
        }

        for (const typed of ['javascript:alert(1)', '"javascript:alert(1)"', 'JavaScript:alert(1)//www.x.org', 'data:text/html,x', 'mailto:zoe@example.org?subject=Hi', 'tel:+49123', 'file:///c', 'C:\\x', 'ftp://x.org', 'blob:https://x.org/1']) {
            expect(addressOf(typed), typed).to.equal({ problem: 'only_web' });
        }
    });
});
