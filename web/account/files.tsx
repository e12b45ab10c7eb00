import type { JSX } from 'preact';

import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { saveFile } from '../ui/save-file';
import { useVisibilityOptions, visibilityOf } from './projects';

/** What a file is, by the end of its name. */
const formOf = (name: string): 'zip' | 'twine' | 'markdown' => (/\.html?$/i.test(name) ? 'twine' : /\.(?:md|markdown)$/i.test(name) ? 'markdown' : 'zip');

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
                        { name: 'file', label: t('files.file'), type: 'file', accept: '.zip,.html,.htm,.md,.markdown,application/zip,text/html,text/markdown' },
                        { name: 'visibility', label: t('visibility.label'), type: 'select', options: [['', t('files.as_stated')], ...options] }
                    ]}
                    onSubmit={async (values) => {
                        const file = values.file('file');
                        const visibility = visibilityOf(values.text('visibility'));
                        if (file !== undefined) {
                            const project = await client.import(file, { form: formOf(file.name), ...visibility === undefined ? {} : { visibility } });
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
