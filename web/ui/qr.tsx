import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { renderSVG } from 'uqr';

/** An address as a picture for cameras. It is drawn once, since a class has a sheet of it for each pupil. @param size pixels on a side */
export function QrPicture({ address, size, alt }: { address: string; size: number; alt: string }): JSX.Element {
    const source = useMemo(() => `data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`, [address]);
    return <img class="qr" src={source} alt={alt} width={size} height={size} />;
}
