import type { JSX } from 'preact';

import type { Permission, Person } from '../../client/src/index.js';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { OnePerson } from './person';
import { PersonFacts, permissionNames } from './person-facts';

/** All accounts by name, or one of them. */
export function People(): JSX.Element {
    const query = new URLSearchParams(location.search);
    const id = query.get('id');
    return id === null ? <Find prefix={query.get('name') ?? ''} permission={permissionNames.find((name) => name === query.get('permission'))} /> : <OnePerson id={id} />;
}

function Find({ prefix, permission }: { prefix: string; permission: Permission | undefined }): JSX.Element {
    const { t, client } = useKit();
    const list = useList<Person>(() => client.admin.people({ ...prefix !== '' && { prefix }, ...permission !== undefined && { permission } }, { count: 25 }), []);
    return (
        <>
            <p class="lead">{t('admin.people_lead')}</p>
            <Form
                label={t('admin.people')} submit={t('admin.find')} inline
                fields={[
                    { name: 'prefix', label: t('admin.name_begins'), value: prefix, optional: true, maxLength: 100 },
                    { name: 'permission', label: t('admin.permission'), type: 'select', value: permission ?? '', options: [['', t('admin.permission_any')], ...permissionNames.map((name) => [name, t(`admin.permission_${name}`)] as const)] }
                ]}
                onSubmit={(values) => {
                    const which = new URLSearchParams({ view: 'people', name: values.text('prefix').trim(), permission: values.text('permission') });
                    location.assign(href(`/admin?${which}`));
                    return Promise.resolve();
                }}
            />
            <Items list={list} label={t('admin.people')} empty={t('admin.no_people')} keyOf={({ id }) => id}>
                {(person) => (
                    <article class="row">
                        <div class="about">
                            <h2><a href={href(`/admin?view=people&id=${person.id}`)} dir="auto">{person.username}</a></h2>
                            <PersonFacts person={person} />
                        </div>
                    </article>
                )}
            </Items>
        </>
    );
}
