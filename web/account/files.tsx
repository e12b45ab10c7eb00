import type { JSX } from 'preact';

import { fieldOf } from '../../src/api/json/is-object';
import type { Translate } from '../../src/site/text-options';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { Refusal } from '../ui/problems';
import { saveFile } from '../ui/save-file';
import { useVisibilityOptions, visibilityOf } from './projects';

/** Why a file cannot be imported, in the language of the page; undefined for what is not about the file. */
function refusalOf(t: Translate, error: unknown, form: ReturnType<typeof formOf>): string | undefined {
    const [code, details] = [fieldOf(error, 'code'), fieldOf(error, 'details')];
    if (code === 'type_mismatch') {
        return t(form === 'markdown' ? 'files.bad_markdown' : 'files.bad_twine');
    }

    if (code !== 'validation_failed') {
        return undefined;
    }

    const place = fieldOf(Array.isArray(details) ? details[0] : undefined, 'path');
    // The content of a file is told from the file itself.
    return place === '' ? t('files.bad_zip') : t(String(place).includes('#') ? 'files.bad_project' : 'files.bad_zip_place', { place: String(place) });
}

/** A file's form, by the end of its name. */
const formOf = (name: string): 'zip' | 'twine' | 'markdown' => (/\.html?$/i.test(name) ? 'twine' : /\.(?:md|mkd|mdown|markdown|txt)$/i.test(name) ? 'markdown' : 'zip');

/** The import and the takeout of one's own projects. */
export function Files(): JSX.Element {
    const { t, client, say } = useKit();
    const options = useVisibilityOptions();
    return (
        <>
            <section class="part">
                <h2>{t('files.import')}</h2>
                <p>{t('files.import_text')}</p>
                <Form
                    label={t('files.import')} submit={t('files.import_do')}
                    fields={[
                        { name: 'file', label: t('files.file'), type: 'file', accept: '.zip,.html,.htm,.md,.mkd,.mdown,.markdown,.txt,application/zip,text/html,text/markdown' },
                        { name: 'visibility', label: t('visibility.label'), type: 'select', options: [['', t('files.as_stated')], ...options] }
                    ]}
                    onSubmit={async (values) => {
                        const file = values.file('file');
                        const visibility = visibilityOf(values.text('visibility'));
                        if (file !== undefined) {
                            const form = formOf(file.name);
                            const project = await client.import(file, { form, ...visibility === undefined ? {} : { visibility } }).catch((error: unknown) => {
                                const refusal = refusalOf(t, error, form);
                                throw refusal === undefined ? error : new Refusal(refusal);
                            });
                            location.assign(href(`/edit/${project.id}`));
                        }
                    }}
                />
            </section>
            <section class="part">
                <h2>{t('files.takeout')}</h2>
                <p>{t('files.takeout_text')}</p>
                <Form label={t('files.takeout')} fields={[]} submit={t('files.takeout_do')} onSubmit={async () => {
                    await saveFile(await client.takeout(), `${client.session?.user.username ?? 'takeout'}.zip`);
                    say(t('files.saved'));
                }} />
            </section>
            <section class="part">
                <h2>{t('files.one')}</h2>
                <p>{t('files.one_text')} <a href={href('/account/projects')}>{t('account.projects')}</a></p>
            </section>
        </>
    );
}
