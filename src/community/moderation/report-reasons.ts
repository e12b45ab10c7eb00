/** The reasons for which a project can be reported. */
export { rules as reportReasons } from '../statements/rules';
