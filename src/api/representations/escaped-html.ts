/** A text in HTML, also inside of an attribute in double quotation marks. */
export const escapedHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
