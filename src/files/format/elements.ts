import { fontNames } from '../../../client/src/render';
import type { JsonSchema } from '../../api/description/schemas';

const text: JsonSchema = { type: 'string' };
const html: JsonSchema = { type: 'string', description: 'Of pages that Webmaker\'s client made, in place of `text`: HTML, of which only the text is shown' };
const units = (description: string): JsonSchema => ({ type: 'number', description: `${description}, in units of the sheet` });
const colour: JsonSchema = { type: 'string', description: 'A colour as in CSS' };
const id: JsonSchema = { type: ['string', 'integer', 'null'], description: 'An id; empty or null is the same as none' };

/** A type of element, with its attributes. */
const looks = (type: string, description: string, properties: Record<string, JsonSchema>, ...required: string[][]): JsonSchema => ({
    if: { properties: { type: { const: type } } },
    then: { description, properties: { attributes: { type: 'object', properties, ...required.length === 1 ? { required: required[0] } : { anyOf: required.map((names) => ({ required: names })) } } } }
});

/**
 * How the elements of a page look, as editors and players agree: docs/format.md explains it. The service itself stores any element; what a player
 * does not know it leaves out.
 */
export const elementLooks: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: '/schemas/elements.json',
    title: 'An element of a page, as players draw it',
    type: 'object',
    required: ['type', 'attributes', 'styles'],
    properties: {
        type: text,
        attributes: { type: 'object' },
        styles: {
            type: 'object',
            properties: {
                left: units('Distance from the left edge of the page'), top: units('Distance from the upper edge of the page'), width: units('Width'), height: units('Height'),
                x: units('Of pages that Webmaker\'s client made, in place of `left`: distance of the middle from the middle of the page, to the right'),
                y: units('The same downwards, in place of `top`'), scale: { type: 'number', description: 'With `x` or `y`: how many times larger it is drawn' },
                angle: { type: 'number', description: 'With `x` or `y`: radians clockwise' },
                fontSize: units('Size of the letters'), color: colour, backgroundColor: colour, opacity: { type: 'number', minimum: 0, maximum: 1 }, borderRadius: units('Radius of the corners'),
                fontWeight: { enum: ['normal', 'bold'] }, fontStyle: { enum: ['normal', 'italic'] }, fontFamily: { type: 'string', description: `Names as in CSS. Players have ${fontNames.join(', ')}` }, textAlign: { enum: ['left', 'center', 'right', 'start', 'end'] },
                lineHeight: { type: 'number' }, direction: { enum: ['ltr', 'rtl'] }, rotate: { type: 'number', description: 'Degrees clockwise' },
                letterSpacing: { type: ['number', 'string'], description: 'In units of the sheet, or as `0.1em`' }, padding: units('Room between the edge and what is inside'),
                border: { type: 'string', description: 'As in CSS: `2px solid #333`' }, zIndex: { type: 'integer', description: 'The layer: larger is above, 0 if left out' },
                textDecoration: { enum: ['none', 'underline', 'line-through', 'overline'] }, textDecorationColor: colour, whiteSpace: { enum: ['normal', 'nowrap', 'pre', 'pre-wrap', 'pre-line'] },
                writingMode: { enum: ['horizontal-tb', 'vertical-rl', 'vertical-lr'] }, imageRendering: { enum: ['auto', 'pixelated'] }, objectFit: { enum: ['fill', 'contain', 'cover'] }
            }
        }
    },
    allOf: [
        looks('text', 'Text, whose line breaks are shown.', { text, innerHTML: html }, ['text'], ['innerHTML']),
        looks('image', 'A picture, scaled to its width and height.', { src: { type: 'string', description: '`asset:` and a SHA-256, a data URI, or an https URL' }, alt: { type: 'string', description: 'What it shows, for who cannot see it' } }, ['src']),
        looks('sound', 'A player for a sound.', { src: text, alt: text }, ['src']),
        looks('video', 'A player for a video.', { src: text, alt: text }, ['src']),
        looks('link', 'Text that leads somewhere: to a page of this project or of another one, or to a URL.',
            { text, innerHTML: html, targetProjectId: id, targetUserId: id, targetPageId: id, href: { type: 'string', description: 'An http or https URL, if it leads out' } }, ['text'], ['innerHTML']),
        looks('button', 'Text that shows more text in its place when it is pressed.', { text, reveals: text }, ['text', 'reveals']),
        looks('shape', 'A shape, filled with its `backgroundColor`.', { shape: { enum: ['rectangle', 'ellipse', 'triangle'] }, alt: { type: 'string', description: 'What it stands for, for who cannot see it' } }, ['shape'])
    ]
};
