import { reportReasons } from '../../src/community/report-reasons';
import type { FieldOptions } from '../ui/form';
import { useKit } from '../ui/kit';

/** The field for the rule that something is against. */
export function useRuleField(value: string): FieldOptions {
    const { t } = useKit();
    return { name: 'rule', label: t('moderation.rule'), type: 'select', value,
        options: reportReasons.map((rule) => [rule, t(`report.${rule}`)]) };
}
