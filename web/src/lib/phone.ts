/** "+917555550100" → "+91 75555 50100", which never breaks; other numbers stay as they are. */
export function formatPhone(phone: string): string {
  return phone.replace(/^\+91(\d{5})(\d{5})$/, '+91\u00a0$1\u00a0$2');
}
