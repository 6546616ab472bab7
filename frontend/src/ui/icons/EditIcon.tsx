import { Icon } from './Icon';

export const EditIcon = () => (
  <Icon>
    <path d="M4.500 19.500l1-4L16 5a2.100 2.100 0 0 1 3 3L8.500 18.500zM14 7l3 3" />
  </Icon>
);
