/** Some browsers read the file only some time after the click. */
const REVOKE_AFTER_MS = 60_000;

/** Makes the browser download a file. */
export function saveFile(file: Blob, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(file);
  anchor.download = name;
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(anchor.href), REVOKE_AFTER_MS);
}
