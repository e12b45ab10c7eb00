import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { namesIn } from '../../web/classes/names';
import { hashOf } from '../support/files';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';
import { fileOf, zipBytes } from '../support/zips';

interface Element {
    type: string;
    attributes: Record<string, string>;
}

interface Page {
    id: string;
    elements: Element[];
}

export const lab = script();
const { after, before, describe, it } = lab;

const read = (name: string): Buffer => readFileSync(join(__dirname, 'cases', name));

/** What people bring from elsewhere: the files of `cases/`, after reports about similar products. */
describe('Files that people bring', () => {
    let test: TestServer;
    let eva: Actor;

    before(async () => {
        test = await startTestServer();
        eva = await test.open('eva');
    });

    after(async () => {
        expect(test.faults).to.equal([]);
        await test.stop();
    });

    const call = (method: string, path: string, body: Buffer, type: string): Promise<Answer> => test.call(method, path, body, { token: eva.token, headers: { 'content-type': type } });
    const asset = (bytes: Buffer, type: string): Promise<Answer> => call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, type);

    describe('photos with bytes between the segments', () => {
        for (const [name, width, height] of [['phone-bytes-between-segments.jpg', 120, 240], ['zeros-between-segments.jpg', 240, 120]] as const) {
            it(`are taken: ${name}`, async () => {
                const bytes = read(name);
                const { status, body, text } = await asset(bytes, 'image/jpeg');
                expect([status, body.asset?.width, body.asset?.height], text).to.equal([201, width, height]);
                expect((await test.server.inject(`/assets/${hashOf(bytes)}?width=64`)).statusCode).to.equal(200);

                const { body: { project } } = await test.call('POST', '/users/me/projects', { title: 'Photo' }, { token: eva.token });
                expect((await call('PUT', `/users/me/projects/${project.id}/thumbnail`, bytes, 'image/jpeg')).status).to.equal(200);
                const pages = [{ x: 0, y: 0, elements: [{ type: 'image', attributes: { src: `asset:${hashOf(bytes)}` } }] }];
                const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(fileOf({ title: 'Photo' }, pages)) }, { name: `assets/${hashOf(bytes)}.jpg`, content: bytes }]);
                expect((await call('POST', '/users/me/imports', zip, 'application/zip')).status).to.equal(201);
                // What is cut off is not.
                for (let end = 30; end < bytes.length; end += 41) {
                    expect((await asset(bytes.subarray(0, end), 'image/jpeg')).status, `${end} bytes`).to.equal(400);
                }
            });
        }
    });

    it('a sound of a phone is taken, and a photo that browsers do not show is not', async () => {
        const { status, body } = await asset(read('voice.m4a'), 'audio/x-m4a');
        expect([status, body.asset?.type]).to.equal([201, 'audio/mp4']);
        expect((await asset(read('phone.heic'), 'image/heic')).body.code).to.equal('unsupported_media_type');
    });

    it('lists of pupils are names', () => {
        for (const [name, names] of [['sep-line', ['Zoe Adams', 'Bo Lee']], ['german-header', ['Jörg Müller', 'Ilse Braun']], ['quotes', ['"Tiny" Tim', 'Zoe "Zed" Adams']]] as const) {
            expect(namesIn(read(`roster-${name}.txt`).toString()), name).to.equal([...names]);
        }
    });

    it('zips that a Mac or Windows packed again are the same project', async () => {
        for (const name of ['zip-as-downloaded.zip', 'zip-packed-again-mac.zip', 'zip-packed-again-windows.zip']) {
            const { status, text, body: { project } } = await call('POST', '/users/me/imports', read(name), 'application/zip');
            expect([status, project?.title], `${name} ${text}`).to.equal([201, 'Plants']);
            const { body: { pages } } = await test.call('GET', `/users/${eva.id}/projects/${project.id}/pages`, undefined, { token: eva.token });
            expect(pages.map(({ elements }: { elements: { attributes: object }[] }) => elements.map(({ attributes }) => attributes)), name).to.equal([[
                { text: 'Roots' }, { src: 'asset:e2e5071181ebeb494b0cad5e837301b0a34d37b1a0a615bb44fd2392586c88c8', alt: 'A leaf' }
            ]]);
        }

        const content = JSON.stringify(fileOf({ title: 'Deep' }));
        for (const name of ['./project.json', 'Plants\\project.json', 'Plants\\Plants\\project.json', 'Растения/project.json']) {
            const zip = zipBytes([{ name: name.replace('project.json', ''), content: '', stored: true }, { name, content }, { name: name.replace('project.json', 'THUMBS.DB'), content: 'x' }]);
            expect((await call('POST', '/users/me/imports', zip, 'application/zip')).status, name).to.equal(201);
        }

        for (const [name, status] of [
            ['__MACOSX/._Deep', 201], ['Deep/__MACOSX/x', 201], ['.Trashes/x', 201], ['.fseventsd/0', 201], ['Deep/@eaDir/x', 201], ['System Volume Information/x', 201], ['Deep/Icon\r', 201], ['Deep/ehthumbs_vista.db', 201],
            ['Deep/.directory', 201], ['Deep/thumbs.dbx', 400], ['Deep/notes.txt', 400], ['Other/project.json', 400], ['../.x', 400]
        ] as const) {
            const zip = zipBytes([{ name: 'Deep/project.json', content }, { name, content: 'x' }]);
            expect((await call('POST', '/users/me/imports', zip, 'application/zip')).status, name).to.equal(status);
        }
    });

    /** A page as people see it: its texts, links (words and the number of the page, or the address) and pictures (address and words). */
    type Shown = (string | [string, number | string] | { src: string; alt?: string })[];

    const story = async (type: string, body: Buffer): Promise<{ title: string; pages: Shown[] }> => {
        const { status, text, body: { project } } = await call('POST', '/users/me/imports', body, type);
        expect(status, text).to.equal(201);
        const { body: { pages } } = await test.call('GET', `/users/${eva.id}/projects/${project.id}/pages`, undefined, { token: eva.token });
        const numberOf = (id: string): number => pages.findIndex((page: Page) => page.id === id) + 1;
        const shown = ({ type: kind, attributes: { text: words = '', href, targetPageId = '', src = '', alt = '' } }: Element): Shown[number] => (kind === 'text' ? words : kind === 'link' ? [words, href ?? numberOf(targetPageId)] : { src: src.slice(0, 30), alt });
        return { title: project.title, pages: pages.map(({ elements }: Page) => elements.map(shown)) };
    };

    const next: [string, number] = ['Next', 2];
    const twine: Readonly<Record<string, Shown>> = {
        'signs-in-macros': ['You wake up.\nYou are rich.You are poor.\nA B', next],
        'code-in-passages': ['Once upon a time.\nThe door opens.', next],
        'picture-passage': ['See it.', next],
        'setter-links': [['Buy a map', 2], ['Steal', 2], ['Open [the] door', 2]],
        'name-with-blank': ['Go.', ['Going there', 2]],
        'special-passages': ['Hi.', next],
        'snowman': ['Hello, ! You are rich.', next]
    };

    it('stories of Twine are their words, links and pictures', async () => {
        for (const [name, page] of Object.entries(twine)) {
            const { pages } = await story('text/html', read(`twine-${name}.html`));
            expect(pages, name).to.equal([page, [name === 'name-with-blank' ? 'You are there.' : 'The end.']]);
        }
    });

    const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

    /** A story in a format, with a second page, and further passages by their names and tags. */
    const twineOf = (format: string, text: string, others: readonly [name: string, tags: string, text: string][] = []): Buffer => {
        const passages = [['Start', '', text], ['Next', '', 'The end.'], ...others].map(([name, tags, content = ''], at) => `<tw-passagedata pid="${at + 1}" name="${name}" tags="${tags}">${escaped(content)}</tw-passagedata>`);
        return Buffer.from(`<tw-storydata name="Story" startnode="1" format="${format}" hidden>${passages.join('')}</tw-storydata>`);
    };

    const formats: [string, string, Shown][] = [
        // Strings in macros, shifts, strings in other quotes; words with one apostrophe.
        ['SugarCube', '<<if $a < 3 and $b >= "x>>y">>One<<elseif _c << 2>>Two<</if>> I don\'t <<print `a >> b\\``>>know <<run it("\\">>")>>it.', ['OneTwo I don\'t know it.', next]],
        ['SugarCube', '<<link "Go" "Next">><</link>>\n<<link [[Away|Next]]>><<set $x to ">>">><</link>>\n<<button \'It\\\'s\'>><<set $x to 2>><<goto "Next">><</button>>\n<<click "On">><<goto [[Next]]>><</click>>', [['Go', 2], ['Away', 2], ['It\'s', 2], ['On', 2], next]],
        ['SugarCube', '<<link "Look">>A cat.<</link>> <<link $a>><</link>>\n<<silently>>secret<</silently>>\n<<widget "a">>no end', ['LookA cat.\nno end', next]],
        ['SugarCube', 'You have $5 and $coins.gold coins, 3 < 4, a <b>bold</b> move. /* note */ <!-- hidden -->\nA /% note, 100 %\nUnder\\\nneath', ['You have $5 and coins, 3 < 4, a bold move.\nA /% note, 100 %\nUnderneath', next]],
        ['SugarCube', '[img[Cat]]See[img[A dog|https://x.example/d.png][Next]]\n[img[no end <img data-passage="Cat"><img src="nothing">', [{ src: 'data:image/png;base64,AAAA', alt: '' }, 'See', { src: 'https://x.example/d.png', alt: 'A dog' }, '[img[no end', ['A dog', 2], { src: 'data:image/png;base64,AAAA', alt: '' }, next]],
        ['SugarCube', '<a data-passage="Next">On <i>and</i> on<img src="https://x.example/e.png"></a> <a data-passage="Next">Off<a data-passage="Next">Out</a>', [['On and on', 2], { src: 'https://x.example/e.png', alt: '' }, ['Off', 2], ['Out', 2], next]],
        ['SugarCube', '[[Take [it]|Next]] [[a [b->Next]] text [[ not. [[Real->Next]] [[x][y]]\n[[Set|Next][$a to "\\"]]"; $b to [1, \'[\', [2]]]] [[Next][no end]\n<<if "no end <<a>> <<b', [
            'Take [it] a [b text [[ not. Real x\nSet [[Next][no end]\n<<b', ['Take [it]', 2], ['a [b', 2], ['Real', 2], ['Set', 2], next
        ]],
        ['SugarCube', 'All <style>p > a {}</style> is <script>if (1 < 2) "never ends"', ['All is']],
        ['Harlowe', '(set: $x to 3)(if: $x > 2)[You are [really] rich.](else:)[Poor.] (Note: keep this) {braces}\n(if: $x)[=Hi $name! (print: "a)" + (str: 3))\n(if: $x', ['You are [really] rich.Poor. (Note: keep this) braces\nHi !\n(if:', next]],
        ['Harlowe', '(link-goto: "Go on", "Next")\n(link: "Open")[(set: $y to "a)b")(goto: \'Next\')]\n(if: $x) [[[Next]]]\n(link-reveal-goto:"Next")(link: "Just")[ words] (link: $a)[ some] (link: "Ends")[ here\n(mouseover-goto: ?a, "Next")', [
            'NextJust words some Ends here', ['Go on', 2], ['Open', 2], next, next, next
        ]],
        ['Harlowe', '|cape>[A cape] and [a hat]<hat| [odd]] [[no end', ['A cape and a hat [odd]] [[no end', next]],
        ['Chapbook', 'gold: 3\nname (gold > 2): "Zoe"\n--\nHello {name}, you.\n[if gold > 2]\nRich.\n[note]\nto me\n[continue]\n{embed image: "https://x.example/a.png", alt: "A"}{embed image named \'a\', url: \'https://x.example/b.png\'}\n{link to: "Next", label: "Go"}\n{link to: "Next"}\n{reveal link: "More", passage: "Next"}\n{reveal link: "Dead"}\n[JavaScript]\nwrite("x")\n[continued]\nEnd [of it]', [
            'Hello , you.\nRich.', { src: 'https://x.example/a.png', alt: 'A' }, { src: 'https://x.example/b.png', alt: '' }, 'Dead\nEnd [of it]', ['Go', 2], next, ['More', 2], next
        ]],
        ['Chapbook', 'Two lines\n--\nand {embed image: 1}more', ['Two lines\n--\nand more', next]],
        ['Snowman', '<% if (a > 1) { %>Yes<% } else { %>No<% } %>\n<script>a << b</script>\nCosts $some, {as} (if: it) is', ['YesNo\nCosts $some, {as} (if: it) is', next]],
        // Words of their own are strings, and what only the format knows has the name of the page.
        ['SugarCube', '<<link "Go" Next>><</link>> <<link Go Next>><</link>> <<link `"Go"` "Next">><</link>>\n<<link "Go">><<goto Next>><</link>>', Array<[string, number]>(4).fill(['Go', 2]).concat([next])],
        ['SugarCube', '<<link $label "Next">><</link>>\n[[$name->Next]]\n[[<<print $x>>|Next]]\n<<goto "Next">>', Array<[string, number]>(5).fill(next)],
        ['SugarCube', '<<link [img[A|Cat][Next]]>><</link>>\n[[<img src="https://x.example/c.png">->Next]]', [{ src: 'data:image/png;base64,AAAA', alt: 'A' }, { src: 'https://x.example/c.png', alt: '' }, ['A', 2], next, next]],
        ['SugarCube', 'Hi _name, $list[0] $map["key"].x.<<style>>a {}<</style>><<done>>b<</done>>', ['Hi , .', next]],
        ['SugarCube', '!Title\n\'\'bold\'\' //slanted// __under__ ==struck== ^^up^^ @@color:red;red@@ {{{code}}} https://x.example/ 5//2\n* One\n----\n* [[Go->Next]]', [
            'Title\nbold slanted under struck up red code https://x.example/ 5//2\n• One', ['Go', 2], next
        ]],
        ['Harlowe', '(text-colour: red)+(text-style: "bold")[Red] _name (uppercase: $a)(seq-link: "A")', ['Red', next]],
        ['Harlowe', '(link-goto: $x, "Next")\n(goto: "Next")', [next, next, next]],
        ['Harlowe', '#Title\n\'\'bold\'\' *it* **strong**\n==>\n* One\n---\n0. Two', ['Title\nbold it strong\n\n• One\n\n• Two', next]],
        ['Chapbook', 'a (if b > (2)): 1\n--\n# Title\n**bold** _it_ snake_case_name\n- One', ['Title\nbold it snake_case_name\n• One', next]],
        ['Snowman', '[[<%= s.name %>->Next]]\n> 5 * 3 * 2', ['5 * 3 * 2', next, next]],
        // HTML: what is on lines of its own, and links.
        ['SugarCube', '<h1>Title</h1><p>One</p><ul><li>Two</li></ul>Three<hr><a href="https://x.example/">Site</a> <a href="mailto:a@x.example">Mail</a> <a href="javascript:1">None</a>', [
            'Title\n\nOne\n\nTwo\n\nThree\n\nSite Mail None', ['Site', 'https://x.example/'], ['Mail', 'mailto:a@x.example'], next
        ]],
        ['SugarCube', '[[Site|www.x.example/a]] [[Tom & Jerry <3]]', [['Site', 'https://www.x.example/a'], ['Tom & Jerry <3', 3], next]],
        ['Paperthin', 'A /* b */ c', ['A /* b */ c', next]]
    ];

    it('stories of Twine in each format leave out what only the format runs', async () => {
        for (const [format, text, page] of formats) {
            const { pages } = await story('text/html', twineOf(format, `${text}\n[[Next]]`, [['Cat', 'Twine.image', ' data:image/png;base64,AAAA\n'], ['Tom & Jerry <3 ', '', 'Far.']]));
            expect(pages, `${format}: ${text}`).to.equal([page, ['The end.'], ['Far.']]);
        }
    });

    it('passages of Twine that set up a format are no pages, and pictures are shown where they have room', async () => {
        const others: [string, string, string][] = [['a', 'init', 'a'], ['b', 'startup x', 'b'], ['c', 'footer', 'c'], ['PassageHeader', '', 'd'], ['e', 'Twine.audio', 'data:audio/wav;base64,AA'], ['f', 'Twine.image', 'no picture'], ['g', 'Twine.image', `data:image/png;base64,${'A'.repeat(1_900_000)}`]];
        const text = '<img data-passage="f"><img data-passage="g">';
        expect((await story('text/html', twineOf('Harlowe', text, others))).pages).to.equal([[], ['The end.'], ['a']]);
        expect((await story('text/html', twineOf('SugarCube', text, others))).pages).to.equal([[], ['The end.'], ['b'], ['c']]);
    });

    const markdown: Readonly<Record<string, { title: string; pages: Shown[] }>> = {
        'front-matter-list': { title: 'Our trip', pages: [['Day one', 'We went.']] },
        'comment': { title: 'Story', pages: [['Story', 'Once upon a time.']] },
        'drawing-in-data-uri': { title: 'A', pages: [['A', { src: 'data:image/svg+xml;base64,PHN2', alt: 'A drawing' }, 'End']] },
        'second-heading': { title: 'Story', pages: [[['To the second', 3], { src: 'https://pics.example/cat.png', alt: 'A cat' }, ['A cat', 'https://cats.example/']], ['Cave', 'The first.'], ['Cave', 'The second.']] }
    };

    it('Markdown is its words, links and pictures', async () => {
        for (const [name, right] of Object.entries(markdown)) {
            expect(await story('text/markdown', read(`markdown-${name}.md`)), name).to.equal(right);
        }
    });

    const sources: [string, string, Shown[]][] = [
        ['---\r\n# a comment\r\ntitle: Our trip # draft\r\nтеги:\r\n  - a\r\n"in quotes": x\r\n\'a\': [\r\n  b\r\n]\r\n\r\n---\r\nText', 'Our trip', [['Text']]],
        ['---\nTitle: "It\\"s"\ntags:\n- a: 1\n  b: 2\n-\n...\nText', 'It"s', [['Text']]],
        ['---\n\'title\': \'It\'\'s\'\n---\nText', 'It\'s', [['Text']]],
        ['---\nيوم: ١\ntitle: >-\n  In two\n  lines\nx: y\n---\nText', 'In two lines', [['Text']]],
        ['---\ntitle: |\n  One\n---\nText', 'One', [['Text']]],
        ['---\ntitle:\n---\nText', 'Text', [['Text']]],
        ['\n---\ntitle: Our trip\nog:title: x\n---\nText', 'Our trip', [['Text']]],
        ['+++\ntitle = "Our trip"\n[menu]\nx = [\n  1\n]\n+++\nText', 'Our trip', [['Text']]],
        ['{\n  "title": "Our trip",\n  "tags": ["a"]\n}\n\nText', 'Our trip', [['Text']]],
        ['% Our trip\n% Zoe\n\nText', 'Our trip', [['Text']]],
        ['---\r# facts\rtitle: Our trip\r---\rText\r\r---\r\rMore', 'Our trip', [['Text'], ['More']]],
        // Pages, and no facts.
        ['+++\n\nText', '+++', [['+++', 'Text']]], ['{ a', '{ a', [['{ a']]],
        ['---\n\n# Day one\n\nWe went: far\n\n---\n\nTwo', 'Day one', [['Day one', 'We went: far'], ['Two']]],
        ['---\nWe went.\n---\nTwo', 'We went.', [['We went.'], ['Two']]],
        ['---\ntitle: x', 'title: x', [['title: x']]],
        ['X<!-- one\n\n---\n\ntwo -->, `<!-- a -->`, ``b` <!-- c -->`` \\<!-- d --> ` <!-->e\n\n~~~\n<!-- f -->\n~~~~\n<!-- g', 'X, <!-- a -->, b` <!-- c --> <!-- d --> ` e', [['X, <!-- a -->, b` <!-- c --> <!-- d --> ` e', '<!-- f -->']]],
        ['a <!-- b\n\n```\n<!-- c', 'a <!-- b', [['a <!-- b', '<!-- c']]],
        ['<img src="data:image/svg+xml;base64,AAAA" alt=\'Drawn\'/> <img src=javascript:1> <img class="a"> ![z][i] <b>a</b>\n\n[i]: data:image/svg+xml;base64,BBBB', 'a', [['a', { src: 'data:image/svg+xml;base64,AAAA', alt: 'Drawn' }, { src: 'data:image/svg+xml;base64,BBBB', alt: 'z' }]]],
        ['Title\n=====\nText\n\nSub\n---\n> A\n> -\n\nMore', 'Title', [['Title', 'Text', 'Sub'], ['A', 'More']]],
        ['|Name|Age|\n|-|-|\n|**Zoe**|[9](#2)|\n\nx\n\n---\ny', 'Name | Age', [['Name | Age\nZoe | 9', ['9', 2], 'x'], ['y']]],
        ['One<br>two <span class="a">three</span> <a href="https://x.example/">four</a>\n\n<details><summary>More</summary>\n\nFive\n\n</details>', 'One', [['One\ntwo three four', ['four', 'https://x.example/'], 'More', 'Five']]],
        ['<script>\na < b\n\nc\n</script>\n<STYLE>d</STYLE><svg><text>e</text></svg>\n\n`<svg>`\n\n<style>f', '<svg>', [['<svg>']]],
        ['[a](data:text/html;base64,AAAA) ![b](data:audio/mpeg;base64,AAAA) <audio src="data:audio/mpeg;base64,AAAA"></audio> [c](javascript:alert(1)) d', 'a c d', [['a   c d']]],
        ['![A](data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"><circle r="(5)"/></svg>)', 'Story', [[{ src: 'data:image/svg+xml;utf8,%3Csvg', alt: 'A' }]]],
        ['[a](mailto:zoe@x.example) <zoe@x.example> [b](www.x.example)', 'Story', [[['a', 'mailto:zoe@x.example'], ['zoe@x.example', 'mailto:zoe@x.example'], ['b', 'https://www.x.example']]]],
        ['# Cave {#home .big}\n\n---\n[a](#home) [b](#Home)', 'Cave', [['Cave'], [['a', 1], ['b', 1]]]],
        ['[![](https://x.example/b.png)](https://y.example/)', 'Story', [[{ src: 'https://x.example/b.png', alt: '' }, ['https://y.example/', 'https://y.example/']]]],
        ['[![](https://x.example/a.png)](#a-1) [![c](https://x.example/c.png) words](#3) [![d](https://x.example/d.png)](no)\n\n---\n# A\n\n---\n# A\n\n# A 1', 'Story', [
            [{ src: 'https://x.example/a.png', alt: '' }, ['→', 3], { src: 'https://x.example/c.png', alt: 'c' }, ['words', 3], { src: 'https://x.example/d.png', alt: 'd' }],
            ['A'], ['A', 'A 1']
        ]]
    ];

    it('Markdown leaves out facts and comments, and keeps all else', async () => {
        for (const [text, title, pages] of sources) {
            expect(await story('text/markdown', Buffer.from(text)), text).to.equal({ title, pages });
        }

        // Editors of Windows call this "Unicode".
        expect(await story('text/markdown', Buffer.from('\uFEFF# Día\r\n', 'utf16le'))).to.equal({ title: 'Día', pages: [['Día']] });
    });
});
