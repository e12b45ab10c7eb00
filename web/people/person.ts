import './person.css';

import { canStore } from '../storage';

/** On the page of a person, what others can do. Guests are led to the sign-in, and load nothing for that. */
const place = document.querySelector<HTMLElement>('.with-person');
if (place !== null && canStore() && localStorage.getItem(`pagewright ${location.origin}`) !== null) {
    void import('./ways').then(({ showWays }) => showWays(place)).catch(() => undefined);
}
