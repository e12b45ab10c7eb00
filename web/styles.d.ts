/** esbuild puts an imported style sheet beside the script. */
declare module '*.css';

/** The texts of the player by language, which the build of the player in a file puts in (web/build.js). */
declare module 'player-texts' {
    const texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
    export default texts;
}
