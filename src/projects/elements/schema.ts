import { keyField } from '../../api/request/idempotency';
import { changesOf, mergeable } from '../../api/request/schema';
import { elementFields, wholeElement } from '../../api/representations/element';

/** POST …/elements */
export const newElement = wholeElement.keys(keyField);

/** PATCH …/elements/{element} */
export const elementChanges = mergeable(changesOf(elementFields));
