import { webhookMessages } from '../representations/webhook-messages';
import type { Shared } from './components';
import { exampleOf, jsonSchemaOf } from './schemas';

const header = (name: string, pattern: string, description: string, example: string): object => ({ name, in: 'header', required: true, description, schema: { type: 'string', pattern, examples: [example] } });

/** Headers of each message, by the Standard Webhooks specification. */
const parameters = [
    header('webhook-id', '^msg_[0-9a-f-]{36}$', 'Id of the message. It stays the same if the message is sent again.', 'msg_6f1c2f0e-9a3b-4c55-8e0d-1f2a3b4c5d6e'),
    header('webhook-timestamp', '^[0-9]{1,12}$', 'When this attempt was made, in seconds since 1970.', '1772389800'),
    header('webhook-signature', '^v1,[A-Za-z0-9+/]{43}=(?: v1,[A-Za-z0-9+/]{43}=)?$', 'One or two signatures of the id, the time and the body, with the secret of the webhook: `v1,` and an HMAC-SHA-256 in base64.', 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=')
];

/** The requests that the service sends to webhooks, by their events. */
export const webhooksOf = ({ schemas }: Pick<Shared, 'schemas'>): object => Object.fromEntries(Object.entries(webhookMessages).map(([event, [summary, body]]) => {
    const schema = jsonSchemaOf(body, schemas);
    return [event, {
        post: {
            operationId: event.replace(/[._](\w)/g, (_text, letter: string) => letter.toUpperCase()),
            summary,
            description: 'Sent to the address of each webhook that asked for it, signed as the Standard Webhooks specification says, at least once.',
            tags: ['Webhooks'],
            // It is signed, and has no token.
            security: [],
            parameters,
            requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(schema, schemas) } } },
            responses: {
                '2XX': { description: 'It has arrived. Anything else, or nothing within ten seconds, is tried again.' },
                '410': { description: 'It is not wanted any more: the webhook is switched off.' }
            }
        }
    }];
}));
