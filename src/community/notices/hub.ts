import { isValidToken } from '../../accounts/tokens/fragments';
import { joinActiveUser } from '../../accounts/users/fragments';
import { defined } from '../../api/errors/defined';
import type { EventStream } from '../../api/request/event-stream';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { startPolling } from '../../projects/live/looks';
import type { LooksOptions } from '../../projects/live/looks';
import type { StreamPlaces } from '../../projects/live/places';
import { keepWatchers } from '../../projects/live/watchers';
import type { Watched } from '../../projects/live/watchers';
import { MAX_NOTICE_STREAMS } from './limits';

/** Who watches their notices. */
export interface NoticeReader {
    id: string;
    /** the hash of their token, if it is one of ours */
    token: Buffer | null;
    /** of a token that is for some projects alone */
    projects: readonly string[] | null;
}

/** The streams of notices in this process. */
export interface NoticeHub {
    /** @param caller whose stream it is @returns false if there is no place */
    add(stream: EventStream, reader: NoticeReader, caller: string): boolean;
    /** Looks soon. */
    look(): void;
}

export interface NoticeHubOptions extends Pick<LooksOptions, 'failing'> {
    db: Database;
    places: StreamPlaces;
    /** JSON text of what a stream tells a reader */
    read(reader: NoticeReader): Promise<string>;
}

/** Milliseconds between two looks. */
const LOOK_EVERY = 500;

// It differs with each new notice, and when they are read.
const states = statement({ parameters: ['bigint[]', 'bytea[]'], row: { n: 'integer', state: 'text?' } }, `
    select w.n::int as n, case when u.id is not null then concat_ws(' ',
        (select max(o.id) from notices o where o.user_id = u.id), '/',
        (select r.read_until from notice_readers r where r.user_id = u.id)) end as state
    from unnest($1::bigint[], $2::bytea[]) with ordinality as w (reader, token, n)
    left ${joinActiveUser('w.reader')} and (w.token is null or ${isValidToken('w.token')})`);

const keyOf = ({ id, token }: NoticeReader): string => `${id} ${token?.toString('hex')}`;

/** Tells people of new notices. One look serves all who watch here; only whose have changed are counted. */
export function noticeHub({ db, places, read, failing }: NoticeHubOptions): NoticeHub {
    const watchers = keepWatchers<NoticeReader>({
        places, most: MAX_NOTICE_STREAMS, readerOf: ({ id }) => id, keyOf, joined: () => looks.begin(), emptied: () => looks.end()
    });

    const tell = async (one: Watched<NoticeReader>, state: string | null): Promise<void> => {
        if (state === null) {
            // The token has ended, or the account: its user is told when they connect again.
            [...one.streams.keys()].forEach(watchers.end);
            return;
        }

        const behind = [...one.streams].filter(([, told]) => told !== state).map(([stream]) => stream);
        if (behind.length > 0) {
            const data = await read(one);
            for (const stream of behind.filter((each) => one.streams.has(each))) {
                one.streams.set(stream, state);
                stream.event('notice', data);
            }
        }
    };

    const looks = startPolling({
        every: LOOK_EVERY, failing,
        look: async () => {
            const all = watchers.all();
            for (const { n, state } of await run(db, states, [all.map(({ id }) => id), all.map(({ token }) => token)])) {
                await tell(defined(all[n - 1]), state);
            }

            return false;
        }
    });

    return { look: looks.soon, add: watchers.add };
}
