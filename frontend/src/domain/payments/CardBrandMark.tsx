import type { ReactNode } from 'react';

import styles from './CardBrandMark.module.css';

interface Mark {
  name: string;
  drawing: ReactNode;
}

const Lettering = ({
  children,
  colour,
  size = 11,
  y = 18.5,
}: {
  children: string;
  colour: string;
  size?: number;
  y?: number;
}) => (
  <text x="22" y={y} textAnchor="middle" fontSize={size} fontWeight="800" fill={colour}>
    {children}
  </text>
);

/** Two words, which would not fit beside each other. */
const TwoWords = ({ first, second, colour }: { first: string; second: string; colour: string }) => (
  <>
    <Lettering colour={colour} size={9} y={12.5}>
      {first}
    </Lettering>
    <Lettering colour={colour} size={9} y={22.5}>
      {second}
    </Lettering>
  </>
);

const Ground = ({ colour }: { colour: string }) => (
  <rect x="0.5" y="0.5" width="43" height="28" rx="4" fill={colour} stroke="#00000024" />
);

const MARKS = {
  visa: {
    name: 'Visa',
    drawing: (
      <>
        <Ground colour="#16216b" />
        <g fontStyle="italic">
          <Lettering colour="#ffffff" size={13}>
            VISA
          </Lettering>
        </g>
      </>
    ),
  },
  mastercard: {
    name: 'Mastercard',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <circle cx="17.5" cy="14.5" r="8.5" fill="#d8232a" />
        <circle cx="26.5" cy="14.5" r="8.5" fill="#f0a01e" />
        <path d="M22 7.300a8.5 8.5 0 0 1 0 14.4 8.5 8.5 0 0 1 0-14.400z" fill="#ee6a1f" />
      </>
    ),
  },
  amex: {
    name: 'Amex',
    drawing: (
      <>
        <Ground colour="#1f6fb5" />
        <Lettering colour="#ffffff">AMEX</Lettering>
      </>
    ),
  },
  discover: {
    name: 'Discover',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <path d="M43 17v8a3 3 0 0 1-3 3H14c13-1.5 23-5.5 29-11z" fill="#ec7a1c" />
        <g transform="translate(0 -3)">
          <Lettering colour="#22222a" size={6.5}>
            DISCOVER
          </Lettering>
        </g>
      </>
    ),
  },
  jcb: {
    name: 'JCB',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <rect x="7" y="5" width="9" height="19" rx="2.5" fill="#12509b" />
        <rect x="17.5" y="5" width="9" height="19" rx="2.5" fill="#c6203a" />
        <rect x="28" y="5" width="9" height="19" rx="2.5" fill="#1c7f3e" />
        <g fontSize="8" fontWeight="800" fill="#ffffff" textAnchor="middle">
          <text x="11.5" y="17.5">
            J
          </text>
          <text x="22" y="17.5">
            C
          </text>
          <text x="32.5" y="17.5">
            B
          </text>
        </g>
      </>
    ),
  },
  diners: {
    name: 'Diners Club',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <circle cx="22" cy="14.5" r="10" fill="#0b5a9c" />
        <circle cx="22" cy="14.5" r="8" fill="#ffffff" />
        <path d="M20 8.500v12a6.3 6.3 0 0 1 0-12zM24 8.500v12a6.3 6.3 0 0 0 0-12z" fill="#0b5a9c" />
      </>
    ),
  },
  paypal: {
    name: 'PayPal',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <g fontStyle="italic">
          <Lettering colour="#143a86" size={10.5}>
            PayPal
          </Lettering>
        </g>
      </>
    ),
  },
  apple_pay: {
    name: 'Apple Pay',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <TwoWords first="Apple" second="Pay" colour="#111111" />
      </>
    ),
  },
  google_pay: {
    name: 'Google Pay',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <TwoWords first="Google" second="Pay" colour="#3c4043" />
      </>
    ),
  },
  amazon_payments: {
    name: 'Amazon Pay',
    drawing: (
      <>
        <Ground colour="#232f3e" />
        <TwoWords first="amazon" second="pay" colour="#ffc266" />
      </>
    ),
  },
  venmo: {
    name: 'Venmo',
    drawing: (
      <>
        <Ground colour="#0067b8" />
        <Lettering colour="#ffffff" size={10}>
          venmo
        </Lettering>
      </>
    ),
  },
  direct_debit: {
    name: 'Bank account',
    drawing: (
      <>
        <Ground colour="#ffffff" />
        <path
          d="M22 5l11 5.500v2H11v-2zM13 14h3v6h-3zM20.500 14h3v6h-3zM28 14h3v6h-3zM11 21.500h22v2.500H11z"
          fill="#3d4654"
        />
      </>
    ),
  },
  wallet: {
    name: 'Payment method',
    drawing: (
      <>
        <Ground colour="#5d6470" />
        <path
          d="M10 9h22a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z"
          fill="#d9dde3"
        />
        <circle cx="29" cy="15" r="2" fill="#22262d" />
      </>
    ),
  },
  other: {
    name: 'Card',
    drawing: (
      <>
        <Ground colour="#5d6470" />
        <rect x="0.5" y="7" width="43" height="5" fill="#22262d" />
        <rect x="5" y="18" width="14" height="3" rx="1.5" fill="#d9dde3" />
      </>
    ),
  },
} satisfies Record<string, Mark>;

type MarkKey = keyof typeof MARKS;

const ALIASES: Record<string, MarkKey> = {
  american_express: 'amex',
  diners_club: 'diners',
  paypal_express_checkout: 'paypal',
};

function findMark(brand: string | null, otherwise: MarkKey = 'other'): Mark {
  const key = (brand ?? '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const known = ALIASES[key] ?? key;
  return MARKS[known in MARKS ? (known as MarkKey) : otherwise];
}

/** The brand's display name; 'Card' for an unknown brand. */
export function cardBrandName(brand: string | null): string {
  return findMark(brand).name;
}

interface CardBrandMarkProps {
  /** In any spelling the API uses: `VISA`, `american_express`, `PAYPAL_EXPRESS_CHECKOUT`… */
  brand: string | null;
  /** The brand is the type of a payment method, which need not be a card. */
  isType?: boolean;
  /** Hides the mark from screen readers, because its name is written beside it. */
  decorative?: boolean;
}

/** Our own drawing of a card brand or of another payment method. */
export function CardBrandMark({ brand, isType, decorative = false }: CardBrandMarkProps) {
  const { name, drawing } = findMark(brand, isType ? 'wallet' : 'other');
  return (
    <svg
      viewBox="0 0 44 29"
      className={styles.mark}
      role="img"
      aria-label={name}
      aria-hidden={decorative || undefined}
    >
      {drawing}
    </svg>
  );
}
