/** "+917555550100" → "+91 75555 50100"; other numbers stay as they are. */
export function formatPhone(phone: string): string {
  return phone.replace(/^\+91(\d{5})(\d{5})$/, '+91 $1 $2');
}
