import { Icon } from './Icon';

export const PlayIcon = () => (
  <Icon>
    <path d="M8 5.500v13l10.5-6.500z" />
  </Icon>
);
