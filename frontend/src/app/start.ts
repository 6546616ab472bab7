// A script of its own, small and first, so that the screen's data comes while React is on its way.
import { startFirstReads } from '@/lib/api/firstReads';
import { readAccountView } from '@/lib/page/pageSettings';
import { readStoredToken } from '@/lib/page/storedToken';

const token = readStoredToken();
// In an operator's view a stored token would be the operator's own.
if (token !== null && readAccountView() === null) {
  startFirstReads(window.location.pathname, token);
}

// The first use of `Intl` takes a fast processor 15 to 20 ms. Here it comes while the scripts are on
// their way and in a task of its own, so that it does not delay the first screen.
setTimeout(() => new Intl.DateTimeFormat('en-US'));
