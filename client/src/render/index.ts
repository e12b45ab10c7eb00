export { inLayers, renderElement, renderPage, stylesheet } from './elements';
export type { LinkTarget, RenderOptions, RenderableElement, RenderablePage } from './elements';
export { fontNames, fonts } from './fonts';
export { pageHeight, pageWidth, pixelArtWidth } from './styles';
export type { AttributeName, Style, Tag, TreeNode } from './tree';
export { cssText, toComponents, toHtml, toNodes } from './writers';
export type { Maker } from './writers';
