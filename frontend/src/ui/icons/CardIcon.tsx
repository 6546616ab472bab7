import { Icon } from './Icon';

export const CardIcon = () => (
  <Icon>
    <rect x="3" y="5.500" width="18" height="13" rx="2.500" />
    <path d="M3 10h18M7 14.500h3" />
  </Icon>
);
