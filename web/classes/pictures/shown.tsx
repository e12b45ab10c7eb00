import type { JSX } from 'preact';

import type { PictureName } from '../../../src/classes/pictures/names';

/** The pictures to sign in with, in SVG on 48 units. They are drawn here, as emoji look different on each device, and on paper. */
const drawings: Readonly<Record<PictureName, string>> = {
    sun: `<circle cx="24" cy="24" r="11" fill="#f5b301"/><path d="M24 3v7M24 38v7M3 24h7M38 24h7M9 9l5 5M34 34l5 5M9 39l5-5M34 14l5-5"
        stroke="#f5b301" stroke-width="4" stroke-linecap="round"/>`,
    moon: '<path d="M29 4a20 20 0 1 0 15 27A17 17 0 0 1 29 4z" fill="#3f51b5"/>',
    star: '<path d="M24 3l6.5 13.5 14.5 2-10.5 10.5 2.5 15-13-7-13 7 2.5-15L3 18.5l14.5-2z" fill="#00acc1"/>',
    rainbow: `<g fill="none" stroke-width="5"><path d="M5 38a19 19 0 0 1 38 0" stroke="#e53935"/><path d="M10 38a14 14 0 0 1 28 0" stroke="#f5b301"/>
        <path d="M15 38a9 9 0 0 1 18 0" stroke="#43a047"/><path d="M20 38a4 4 0 0 1 8 0z" fill="#1e88e5" stroke="#1e88e5"/></g>`,
    umbrella: `<path d="M24 22v17a5 5 0 0 0 10 0M24 2v5" fill="none" stroke="#5d4037" stroke-width="3" stroke-linecap="round"/>
        <path d="M4 25a20 20 0 0 1 40 0q-5-5-10 0-5-5-10 0-5-5-10 0-5-5-10 0z" fill="#8e24aa"/>`,
    tree: `<path d="M21 28h6v17h-6z" fill="#795548"/><g fill="#2e7d32"><circle cx="24" cy="15" r="12"/><circle cx="14" cy="23" r="9"/>
        <circle cx="34" cy="23" r="9"/></g>`,
    flower: `<path d="M24 28v17M24 43q9 0 10-9-9 0-10 9z" fill="#43a047" stroke="#43a047" stroke-width="3"/><g fill="#ec407a"><circle cx="24" cy="9" r="7"/>
        <circle cx="33" cy="16" r="7"/><circle cx="30" cy="26" r="7"/><circle cx="18" cy="26" r="7"/><circle cx="15" cy="16" r="7"/></g>
        <circle cx="24" cy="18" r="6" fill="#fdd835"/>`,
    mushroom: `<path d="M18 26h12l3 17q-9 4-18 0z" fill="#e8d3a9"/><path d="M4 28a20 20 0 0 1 40 0z" fill="#d32f2f"/>
        <g fill="#fff"><circle cx="15" cy="21" r="4"/><circle cx="26" cy="15" r="4"/><circle cx="35" cy="23" r="3"/></g>`,
    apple: `<path d="M24 15c-5-5-18-3-18 10 0 11 9 20 14 20 2 0 3-1 4-1s2 1 4 1c5 0 14-9 14-20 0-13-13-15-18-10z" fill="#7cb342"/>
        <path d="M24 15q0-6 3-10" stroke="#5d4037" stroke-width="3" fill="none" stroke-linecap="round"/><path d="M27 9q8-6 13 0-8 5-13 0z" fill="#33691e"/>`,
    cherries: `<path d="M14 27Q18 12 30 5q3 10 4 22" fill="none" stroke="#33691e" stroke-width="3"/><path d="M30 5q10-2 14 6-10 2-14-6z" fill="#43a047"/>
        <g fill="#c62828"><circle cx="13" cy="35" r="10"/><circle cx="35" cy="35" r="10"/></g>`,
    carrot: `<path d="M29 17q-1-9 4-13M30 17q5-7 12-6M30 18q8-1 13 5" stroke="#2e7d32" stroke-width="4" fill="none" stroke-linecap="round"/>
        <path d="M31 16q6 6 1 11L9 44q-4 1-4-3l15-25q5-6 11 0z" fill="#fb8c00"/>`,
    ice: '<path d="M12 20h24L24 46z" fill="#c98d46"/><circle cx="24" cy="15" r="13" fill="#f48fb1"/><circle cx="24" cy="4" r="4" fill="#c62828"/>',
    cat: `<path d="M7 5l10 8h14l10-8v20a17 17 0 0 1-34 0z" fill="#757575"/><g fill="#fff"><circle cx="17" cy="23" r="4"/><circle cx="31" cy="23" r="4"/></g>
        <g fill="#212121"><circle cx="17" cy="23" r="2"/><circle cx="31" cy="23" r="2"/></g><path d="M24 32l-3-3h6z" fill="#f48fb1"/>
        <path d="M24 32q-4 5-7 1M24 32q4 5 7 1M2 28l9 2M2 35l9-2M46 28l-9 2M46 35l-9-2" fill="none" stroke="#212121" stroke-width="1.5"/>`,
    fish: `<path d="M3 24Q16 6 32 21l13-10v26L32 27Q16 42 3 24z" fill="#00897b"/><circle cx="13" cy="21" r="3" fill="#fff"/>
        <path d="M22 15q5 9 0 18" fill="none" stroke="#fff" stroke-width="2"/>`,
    snail: `<path d="M4 42h32q7 0 7-9V21M43 21l-4-10M43 21l3-10" fill="none" stroke="#b07a3f" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/>
        <circle cx="20" cy="27" r="14" fill="#7e57c2"/><circle cx="20" cy="27" r="8" fill="none" stroke="#fff" stroke-width="2"/><circle cx="20" cy="27" r="2" fill="#fff"/>`,
    beetle: `<circle cx="24" cy="11" r="8" fill="#212121"/><circle cx="24" cy="28" r="17" fill="#e53935"/><path d="M24 11v34" stroke="#212121" stroke-width="2"/>
        <g fill="#212121"><circle cx="15" cy="22" r="3"/><circle cx="33" cy="22" r="3"/><circle cx="15" cy="34" r="3"/><circle cx="33" cy="34" r="3"/></g>`,
    house: '<path d="M9 22h30v23H9z" fill="#ffb74d"/><path d="M2 24L24 4l22 20z" fill="#b71c1c"/><path d="M20 30h9v15h-9z" fill="#5d4037"/>',
    car: `<path d="M3 35v-9l7-2 6-10h16l7 10 6 2v9z" fill="#1565c0"/><path d="M18 17h5v7h-9zM26 17h5l5 7H26z" fill="#e3f2fd"/>
        <g fill="#212121"><circle cx="14" cy="36" r="5"/><circle cx="35" cy="36" r="5"/></g>`,
    boat: `<path d="M4 32h40l-8 12H12z" fill="#6d4c41"/><path d="M25 4v26h17z" fill="#e53935"/><path d="M21 10v20H7z" fill="#ffca28"/>
        <path d="M23 3v30" stroke="#5d4037" stroke-width="2"/>`,
    kite: `<path d="M26 2l14 17-14 19-14-19z" fill="#43a047"/><path d="M26 2v36M12 19h28" stroke="#fff" stroke-width="2"/>
        <path d="M26 38q-9 1-7 5t-11 2" fill="none" stroke="#e53935" stroke-width="3" stroke-linecap="round"/>`,
    balloon: `<path d="M24 34q-5 5 0 12" stroke="#5d4037" stroke-width="2" fill="none"/><path d="M24 33l-4 5h8z" fill="#d81b60"/>
        <ellipse cx="24" cy="18" rx="14" ry="16" fill="#d81b60"/><path d="M16 14q2-5 7-6" stroke="#fff" stroke-width="3" fill="none" stroke-linecap="round"/>`,
    ball: `<circle cx="24" cy="24" r="20" fill="#1e88e5"/><path d="M24 4a20 20 0 0 1 0 40q14-20 0-40z" fill="#fdd835"/>
        <path d="M24 4a20 20 0 0 0 0 40Q10 24 24 4z" fill="#e53935"/>`,
    key: `<circle cx="13" cy="24" r="9" fill="none" stroke="#a67c00" stroke-width="6"/>
        <path d="M22 24h22v10M35 24v8" fill="none" stroke="#a67c00" stroke-width="5"/>`,
    bell: `<circle cx="24" cy="41" r="5" fill="#7f6000"/><circle cx="24" cy="5" r="4" fill="#7f6000"/>
        <path d="M24 6c-9 0-13 7-13 15v9l-6 9h38l-6-9v-9c0-8-4-15-13-15z" fill="#f5b301"/>`
};

const addressOf = (name: PictureName): string => {
    const drawing = drawings[name].replace(/\s+/g, ' ');
    return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">${drawing}</svg>`)}`;
};

/** A picture to sign in with. Its name is said by what it is in. */
export const Picture = ({ name }: { name: PictureName }): JSX.Element => <img class="sign-in-picture" src={addressOf(name)} alt="" />;
