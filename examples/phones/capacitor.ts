/** Signing in with Capacitor: the system's browser asks, and the keychain keeps the tokens. */
import { SecureStorage } from '@aparajita/capacitor-secure-storage';
import { App } from '@capacitor/app';
import { Browser } from '@capacitor/browser';
import { createClient } from 'pagewright-client';
import type { Client } from 'pagewright-client';
import { signInWithPagewright } from 'pagewright-client/auth';
import type { Auth } from 'pagewright-client/auth';

/** @param onSignedIn is called once somebody has come back @returns what signs in and out, and the client, whose requests have the token */
export async function start(service: string, clientId: string, onSignedIn: (client: Client, username: string) => void, onError: (error: unknown) => void): Promise<{ auth: Auth; client: Client; signIn: () => Promise<void> }> {
    const auth = signInWithPagewright({ service, clientId, redirectUri: 'org.example.editor:/done', store: SecureStorage });
    const client = createClient(service, { fetch: auth.fetch });

    const enter = async (): Promise<void> => {
        const token = await auth.token();
        if (token !== null) {
            onSignedIn(client, (await client.signInWithToken(token)).username);
        }
    };

    const comeBack = async (address: string): Promise<void> => {
        await Browser.close();
        await auth.complete(address);
        await enter();
    };

    await App.addListener('appUrlOpen', ({ url }) => void comeBack(url).catch(onError));
    await enter();
    return { auth, client, signIn: () => auth.signIn((address) => void Browser.open({ url: address }).catch(onError)) };
}
