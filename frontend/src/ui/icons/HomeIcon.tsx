import { Icon } from './Icon';

export const HomeIcon = () => (
  <Icon>
    <path d="M4 11 12 4.500 20 11v8.500h-5.500v-6h-5v6H4z" />
  </Icon>
);
