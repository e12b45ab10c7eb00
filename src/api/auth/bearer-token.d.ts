/** The package of its types brings those of an older hapi. */
declare module 'hapi-auth-bearer-token' {
    const plugin: import('@hapi/hapi').Plugin<object>;
    export = plugin;
}
