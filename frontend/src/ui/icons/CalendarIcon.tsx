import { Icon } from './Icon';

export const CalendarIcon = () => (
  <Icon>
    <rect x="4" y="5.5" width="16" height="14.5" rx="2.5" />
    <path d="M4 10.500h16M8.5 3v4M15.5 3v4" />
  </Icon>
);
