import { Icon } from './Icon';

export const DownloadIcon = () => (
  <Icon>
    <path d="M12 4v11m-4.5-4.500L12 15l4.5-4.500M5 20h14" />
  </Icon>
);
