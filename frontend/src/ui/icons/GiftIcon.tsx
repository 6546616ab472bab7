import { Icon } from './Icon';

export const GiftIcon = () => (
  <Icon>
    <path d="M4 9h16v3.500H4zM5.500 12.500V20h13v-7.500M12 9v11M12 9C9 9 7.500 7.500 8 6s3-1.500 4 3c1-4.500 3.500-4.500 4-3s-1 3-4 3" />
  </Icon>
);
