import { Icon } from './Icon';

export const ReceiptIcon = () => (
  <Icon>
    <path d="M6 3.500h12V21l-3-2-3 2-3-2-3 2zM9.5 8.500h5M9.5 12.500h5" />
  </Icon>
);
