import { Icon } from './Icon';

export const TrashIcon = () => (
  <Icon>
    <path d="M4.500 7h15M9.500 7V4.500h5V7M6.500 7l1 13h9l1-13M10.500 11v5M13.500 11v5" />
  </Icon>
);
