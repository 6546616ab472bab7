import { createContext, useContext } from 'react';
import { Link, type LinkProps, useHref } from 'react-router-dom';

/** Whether a path belongs to the document one is in. */
export const DocumentContext = createContext<(path: string) => boolean>(() => true);

/** A link within the app, which is left to the browser where it leads to another document. */
export function BorderLink(props: LinkProps) {
  const belongsHere = useContext(DocumentContext);
  const path = useHref(props.to, props.relative ? { relative: props.relative } : {});
  return <Link {...props} reloadDocument={!belongsHere(path)} />;
}
