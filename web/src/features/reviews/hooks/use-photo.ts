/** The chosen picture, with its preview before it is sent. */
import { useRef, useState } from 'react';
import { type ToastInput, toast } from '@/components/ui/toast-store';
import type { Picture } from '../api/publish-review';
import { UNREADABLE_IMAGE } from '../review-messages';
import { imageProblem } from '../review-rules';

export type Photo = {
  picture: Picture | undefined;
  /** A data URL; the content policy allows no other kind of own picture. Empty until it was read. */
  preview: string;
  error: string | undefined;
  choose: (file: File) => void;
  remove: () => void;
  /** Sending goes on with what is chosen, whatever else was tried. */
  forgetError: () => void;
  /** Takes the server's word that this is no picture. */
  refuse: (words: ToastInput) => void;
};

/** What stays at the field when the toast is gone. */
function inlineWords({ description = '' }: ToastInput, kept = false): string {
  const wayOn = kept ? 'The one you chose before stays.' : 'You can also publish without a photo.';
  return `${description} ${wayOn}`;
}

export function usePhoto(): Photo {
  const [picture, setPicture] = useState<Picture>();
  const [preview, setPreview] = useState('');
  const [error, setError] = useState<string>();
  const reader = useRef<FileReader | null>(null);

  function clear() {
    reader.current?.abort();
    reader.current = null;
    setPicture(undefined);
    setPreview('');
  }

  function choose(file: File) {
    const problem = imageProblem(file);
    setError(problem && inlineWords(problem, picture !== undefined));
    if (problem) {
      toast({ ...problem, beside: true });
      return;
    }
    clear();
    const chosen: Picture = { file };
    setPicture(chosen);
    const reading = new FileReader();
    reader.current = reading;
    reading.onload = () => {
      // Telephones give a file of a cloud away only once: what was read now is sent later.
      chosen.file = new File([reading.result as ArrayBuffer], file.name, { type: file.type });
      show(chosen.file);
    };
    reading.onerror = () => {
      refuse(UNREADABLE_IMAGE);
      toast({ ...UNREADABLE_IMAGE, beside: true });
    };
    reading.readAsArrayBuffer(file);
  }

  function show(file: File) {
    const reading = new FileReader();
    reader.current = reading;
    reading.onload = () => setPreview(String(reading.result));
    reading.readAsDataURL(file);
  }

  function refuse(words: ToastInput) {
    clear();
    setError(inlineWords(words));
  }

  return {
    picture,
    preview,
    error,
    choose,
    remove: () => {
      clear();
      setError(undefined);
    },
    forgetError: () => setError(undefined),
    refuse,
  };
}
