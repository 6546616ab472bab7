import { postJson } from '@/lib/api/http';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { PersonIcon } from '@/ui/icons/PersonIcon';
import { Menu, type MenuItem } from '@/ui/navigation/Menu';

/**
 * Signs out locally at once and revokes the token on the server, also if the tab is closed now. If
 * that fails, the token expires by itself.
 */
function endSession(): void {
  const revocation = postJson('/api/auth/logout', { keepalive: true });
  useAuth.getState().signOut();
  revocation.catch(() => undefined);
}

/** In display order. */
const ITEMS: readonly MenuItem[] = [
  { label: 'Your Subscriptions', to: paths.manageSubscription },
  { label: 'Payment Methods', to: paths.paymentMethods },
  { label: 'Email Preferences', to: paths.emailPreferences },
  { label: 'Logout', onSelect: endSession },
];

/** The menu of a signed-in subscriber. A view ends with the button of its banner. */
export function ProfileMenu() {
  const isView = useAuth((state) => state.isView);
  const items = isView ? ITEMS.filter(({ to }) => to !== undefined) : ITEMS;
  return <Menu label="Your profile" icon={<PersonIcon />} items={items} />;
}
