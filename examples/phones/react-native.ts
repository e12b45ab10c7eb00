/** Signing in with React Native and Expo: the system's browser asks, and the keychain keeps the tokens. */
import { deleteItemAsync, getItemAsync, setItemAsync } from 'expo-secure-store';
import { createClient } from 'pagewright-client';
import type { Client } from 'pagewright-client';
import { signInWithPagewright } from 'pagewright-client/auth';
import type { Auth, AuthStore } from 'pagewright-client/auth';
import { Linking } from 'react-native';

/** Its keys are of letters, digits, `.`, `-` and `_` alone. */
const keyOf = (key: string): string => key.replace(/[^\w.-]/g, '_');

const keychain: AuthStore = {
    getItem: (key) => getItemAsync(keyOf(key)),
    setItem: (key, value) => setItemAsync(keyOf(key), value),
    removeItem: (key) => deleteItemAsync(keyOf(key))
};

/** @param onSignedIn is called once somebody has come back @returns what signs in and out, and the client, whose requests have the token */
export function start(service: string, clientId: string, onSignedIn: (client: Client, username: string) => void, onError: (error: unknown) => void): { auth: Auth; client: Client; signIn: () => Promise<void> } {
    const auth = signInWithPagewright({ service, clientId, redirectUri: 'org.example.editor:/done', store: keychain });
    const client = createClient(service, { fetch: auth.fetch });

    const enter = async (): Promise<void> => {
        const token = await auth.token();
        if (token !== null) {
            onSignedIn(client, (await client.signInWithToken(token)).username);
        }
    };

    Linking.addEventListener('url', ({ url }) => void auth.complete(url).then(enter).catch(onError));
    enter().catch(onError);
    return { auth, client, signIn: () => auth.signIn((address) => void Linking.openURL(address).catch(onError)) };
}
