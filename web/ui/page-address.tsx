import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Translate } from '../../src/site/text-options';
import { QrPicture } from './qr';

/** The address of a page, to be given to others: to copy, as a picture for cameras, and by whatever the device sends things with. */
export function PageAddress({ t, address, title }: { t: Translate; address: string; title: string }): JSX.Element {
    const [isCopied, setCopied] = useState(false);
    return (
        <section class="address-of" aria-label={t('player.share')}>
            <QrPicture address={address} size={144} alt={t('player.share_picture')} />
            <div>
                <label><span>{t('player.share_address')}</span><input readOnly dir="ltr" value={address} onFocus={({ currentTarget }) => currentTarget.select()} /></label>
                <div class="does">
                    <button type="button" onClick={() => void navigator.clipboard.writeText(address).then(() => setCopied(true), () => undefined)}>{t('player.share_copy')}</button>
                    {'share' in navigator && <button type="button" class="quiet" onClick={() => void navigator.share({ url: address, title }).catch(() => undefined)}>{t('player.share_device')}</button>}
                </div>
                <p role="status">{isCopied ? t('player.share_copied') : ''}</p>
            </div>
        </section>
    );
}
