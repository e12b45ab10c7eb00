/** SQL that reads the address below which this service shows pictures, as `o.origin`. */
export const fromOrigin = 'from thumbnail_progress o';
