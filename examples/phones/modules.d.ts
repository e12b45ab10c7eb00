/** What the two examples use of these packages, as their versions of November 2026 declare it, so that their types are checked without them. */
declare module 'react-native' {
    export const Linking: {
        openURL(address: string): Promise<unknown>;
        addEventListener(event: 'url', listener: (event: { url: string }) => void): { remove(): void };
    };
}

declare module 'expo-secure-store' {
    export function getItemAsync(key: string): Promise<string | null>;
    export function setItemAsync(key: string, value: string): Promise<void>;
    export function deleteItemAsync(key: string): Promise<void>;
}

declare module '@capacitor/app' {
    export const App: { addListener(event: 'appUrlOpen', listener: (event: { url: string }) => void): Promise<{ remove(): Promise<void> }> };
}

declare module '@capacitor/browser' {
    export const Browser: { open(options: { url: string }): Promise<void>; close(): Promise<void> };
}

declare module '@aparajita/capacitor-secure-storage' {
    export const SecureStorage: {
        getItem(key: string): Promise<string | null>;
        setItem(key: string, value: string): Promise<void>;
        removeItem(key: string): Promise<void>;
    };
}
