import { inLayers } from '../../client/src/render/index';
import type { Item } from './document.js';

/** Where an element goes among the layers of its page. */
export type LayerMove = 'front' | 'up' | 'down' | 'back';

const withLayer = (items: readonly Item[], layers: ReadonlyMap<string, number>): Item[] => items.map((item) => (layers.has(item.id) ? { ...item, styles: { ...item.styles, zIndex: layers.get(item.id) } } : item));

/** The new `zIndex` of each element that needs one, so that one of them moves. As few as possible. */
export function layersAfter(items: readonly Item[], id: string, move: LayerMove): Map<string, number> {
    const order = inLayers(items).map((item) => item.id);
    const from = order.indexOf(id);
    const to = { front: order.length - 1, up: Math.min(from + 1, order.length - 1), down: Math.max(from - 1, 0), back: 0 }[move];
    if (from === to) {
        return new Map();
    }

    const wanted = order.toSpliced(from, 1).toSpliced(to, 0, id);
    const layerOf = (other: string | undefined): number => Number(items.find((item) => item.id === other)?.styles.zIndex ?? 0) || 0;
    const [below, above] = [wanted[to - 1], wanted[to + 1]];
    const candidates = [...(below === undefined ? [] : [layerOf(below), layerOf(below) + 1]), ...(above === undefined ? [] : [layerOf(above), layerOf(above) - 1])];
    for (const candidate of candidates) {
        const layers = new Map([[id, candidate]]);
        if (inLayers(withLayer(items, layers)).every((item, index) => item.id === wanted[index])) {
            return layers;
        }
    }

    return new Map(wanted.map((one, index) => [one, index]));
}
