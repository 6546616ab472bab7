import { Icon } from '@/ui/icons/Icon';

export const ArrowLeftIcon = () => (
  <Icon>
    <path d="M19 12H5m6-6-6 6 6 6" />
  </Icon>
);

export const ChevronDownIcon = () => (
  <Icon>
    <path d="m6 9 6 6 6-6" />
  </Icon>
);

export const ChevronRightIcon = () => (
  <Icon>
    <path d="m9 6 6 6-6 6" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6 6 18" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="m5 13 4.5 4.5L19 7" />
  </Icon>
);

export const AlertIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7.5v5.5M12 16.5v.01" />
  </Icon>
);

export const InfoIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5.5M12 7.5v.01" />
  </Icon>
);

export const PersonIcon = () => (
  <Icon>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20c1-4 4-6 7.5-6s6.5 2 7.5 6" />
  </Icon>
);

export const MailIcon = () => (
  <Icon>
    <rect x="3" y="5.5" width="18" height="13" rx="2" />
    <path d="m4 7.5 8 6 8-6" />
  </Icon>
);

export const PlayIcon = () => (
  <Icon>
    <path d="M8 5.500v13l10.5-6.500z" />
  </Icon>
);

export const PauseIcon = () => (
  <Icon>
    <path d="M9 5v14M15 5v14" />
  </Icon>
);

export const CalendarIcon = () => (
  <Icon>
    <rect x="4" y="5.5" width="16" height="14.5" rx="2.5" />
    <path d="M4 10.500h16M8.5 3v4M15.5 3v4" />
  </Icon>
);

export const DownloadIcon = () => (
  <Icon>
    <path d="M12 4v11m-4.5-4.500L12 15l4.5-4.500M5 20h14" />
  </Icon>
);

export const ReceiptIcon = () => (
  <Icon>
    <path d="M6 3.500h12V21l-3-2-3 2-3-2-3 2zM9.5 8.500h5M9.5 12.500h5" />
  </Icon>
);

export const TicketIcon = () => (
  <Icon>
    <path d="M3.500 7h17v3.500a1.500 1.500 0 0 0 0 3V17h-17v-3.500a1.500 1.500 0 0 0 0-3zM14.500 7v10" />
  </Icon>
);

export const GiftIcon = () => (
  <Icon>
    <path d="M4 9h16v3.500H4zM5.500 12.500V20h13v-7.500M12 9v11M12 9C9 9 7.500 7.500 8 6s3-1.500 4 3c1-4.500 3.500-4.500 4-3s-1 3-4 3" />
  </Icon>
);

export const RefreshIcon = () => (
  <Icon>
    <path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.300L19.5 9M19.5 4.500V9H15" />
  </Icon>
);

export const EditIcon = () => (
  <Icon>
    <path d="M4.500 19.500l1-4L16 5a2.100 2.100 0 0 1 3 3L8.500 18.500zM14 7l3 3" />
  </Icon>
);

export const TrashIcon = () => (
  <Icon>
    <path d="M4.500 7h15M9.500 7V4.500h5V7M6.500 7l1 13h9l1-13M10.500 11v5M13.500 11v5" />
  </Icon>
);

export const CardIcon = () => (
  <Icon>
    <rect x="3" y="5.500" width="18" height="13" rx="2.500" />
    <path d="M3 10h18M7 14.500h3" />
  </Icon>
);
