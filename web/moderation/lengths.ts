import type { FieldOptions } from '../ui/form';
import { useKit } from '../ui/kit';

/** Milliseconds. */
export const DAY = 24 * 3600 * 1000;

/** How long a suspension can be, in days; the last one has no end. */
const lengths = ['1', '7', '30', 'none'] as const;

/** The field for how long a suspension is. */
export function useLengths(): FieldOptions {
    const { t } = useKit();
    return { name: 'length', label: t('moderation.how_long'), type: 'select', value: '7',
        options: lengths.map((days) => [days, days === 'none' ? t('moderation.no_end') : t('moderation.days', { count: Number(days) })]) };
}
