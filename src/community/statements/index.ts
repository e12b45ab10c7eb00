/** The door of statements: what other subjects may import, beside fragments.ts. */
export { addStatement, countKept, endStatements, explainRemoval, statePicture } from './making';
export { decideAppeal, findAppeal, listAppeals, showStatement } from './queries';
export { publicSummary } from './summary';
