/** The door of statements: what other subjects may import, beside fragments.ts and, for words alone, rules.ts. */
export { addStatement, countKept, endStatements, explainRemoval } from './making';
export { decideAppeal, findAppeal, listAppeals, showStatement } from './queries';
export { publicSummary, summarize } from './summary';
