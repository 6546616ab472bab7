import { paths } from '@/lib/paths';
import { PersonIcon } from '@/ui/icons/PersonIcon';
import { Menu, type MenuItem } from '@/ui/Menu';
import { logout } from './session';

/** Top to bottom. */
const ITEMS: readonly MenuItem[] = [
  { label: 'Your Subscriptions', to: paths.manageSubscription },
  { label: 'Payment Methods', to: paths.paymentMethods },
  { label: 'Email Preferences', to: paths.emailPreferences },
  { label: 'Logout', onSelect: logout },
];

/** The menu of a signed-in subscriber. */
export function ProfileMenu() {
  return <Menu label="Your profile" icon={<PersonIcon />} items={ITEMS} />;
}
