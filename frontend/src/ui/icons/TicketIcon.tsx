import { Icon } from './Icon';

export const TicketIcon = () => (
  <Icon>
    <path d="M3.500 7h17v3.500a1.500 1.500 0 0 0 0 3V17h-17v-3.500a1.500 1.500 0 0 0 0-3zM14.500 7v10" />
  </Icon>
);
