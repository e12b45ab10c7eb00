import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Delivery, Webhook } from '../../client/src/index.js';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { problemText } from '../ui/problems';
import { eventName } from './webhook-dialog';

/** How many of the newest are looked at again. */
const NEWEST = 25;

/** Milliseconds between two looks whether what was sent has arrived, and how many there are. */
const LOOK_EVERY = 1500;
const LOOKS = 6;

/** A webhook's deliveries and their outcome. */
export function Deliveries({ webhook }: { webhook: Webhook }): JSX.Element {
    const { t, client, language, say } = useKit();
    const list = useList<Delivery>(() => client.webhooks.deliveries(webhook, { count: NEWEST }), []);
    const [looks, setLooks] = useState(0);

    /** Shows the newest as they are now. What is older stays, so nothing moves under somebody's finger. */
    const look = async (): Promise<void> => {
        const { items } = await client.webhooks.deliveries(webhook).page({ count: NEWEST });
        list.change((before) => {
            const fresh = new Map(items.map((item) => [item.id, item]));
            return [...items.filter(({ id }) => before.every((each) => each.id !== id)), ...before.map((each) => fresh.get(each.id) ?? each)];
        });
    };

    useEffect(() => {
        if (looks === 0) {
            return;
        }

        const timer = setTimeout(() => void look().then(() => setLooks(looks - 1), () => setLooks(0)), LOOK_EVERY);
        return () => clearTimeout(timer);
    }, [looks]);

    const act = async (work: () => Promise<unknown>, text: string): Promise<void> => {
        try {
            await work();
            await look();
            say(text);
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    const send = (work: () => Promise<unknown>): Promise<void> => act(async () => {
        await work();
        setLooks(LOOKS);
    }, t('webhooks.on_its_way'));

    return (
        <>
            <p class="lead" dir="ltr">{webhook.url}</p>
            <div class="bar">
                <a class="button quiet" href={href('/account/webhooks')}>{t('webhooks.back')}</a>
                <button type="button" onClick={() => void send(() => client.webhooks.test(webhook))}>{t('webhooks.test')}</button>
                <button type="button" class="quiet" onClick={() => void act(() => Promise.resolve(), t('webhooks.looked'))}>{t('webhooks.look')}</button>
            </div>
            <Items list={list} label={t('webhooks.sent')} empty={t('webhooks.none_sent')} keyOf={({ id }) => id}>
                {(delivery) => <Row delivery={delivery} onAgain={() => void send(() => client.webhooks.sendAgain(webhook, delivery))} />}
            </Items>
        </>
    );
}

function Row({ delivery, onAgain }: { delivery: Delivery; onAgain(): void }): JSX.Element {
    const { t, language } = useKit();
    const { event, project_id: project, state, attempts, at, last_attempt_at: last, next_attempt_at: next, response_status: status, error, message } = delivery;
    const name = eventName(t, event);
    const time = timeIn(language, at);
    return (
        <article class="row">
            <div class="about">
                <h2>{name}</h2>
                <p class="facts">
                    <strong>{t(`webhooks.is_${state}`)}</strong>
                    <span>{time}</span>
                    {project !== null && <a href={href(`/p/${project}`)}>{t('webhooks.project', { id: project })}</a>}
                    <span>{t('webhooks.attempts', { count: attempts })}</span>
                    {last !== null && <span>{t('webhooks.last', { time: timeIn(language, last) })}</span>}
                    {status !== null && <span>{t('webhooks.status', { status })}</span>}
                    {next !== null && attempts > 0 && <span>{t('webhooks.next', { time: timeIn(language, next) })}</span>}
                    <span dir="ltr">{message}</span>
                </p>
                {error !== null && <p class="words" lang="en" dir="ltr">{error}</p>}
                <div class="does"><button type="button" class="quiet" aria-label={t('webhooks.again_name', { name, time })} onClick={onAgain}>{t('webhooks.again')}</button></div>
            </div>
        </article>
    );
}
