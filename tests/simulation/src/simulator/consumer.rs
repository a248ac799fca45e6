//! The consumers of the services' feeds.

use super::service::Service;

/// The consumers: reader and source of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Consumer {
    BookingOnPayments,
    BookingOnNotifications,
    PaymentsOnBooking,
    NotificationsOnBooking,
    NotificationsOnPayments,
}

impl Consumer {
    const ALL: [Self; 5] = [
        Self::BookingOnPayments,
        Self::BookingOnNotifications,
        Self::PaymentsOnBooking,
        Self::NotificationsOnBooking,
        Self::NotificationsOnPayments,
    ];

    /// The consumers in a service.
    pub(crate) fn of(service: Service) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |consumer| consumer.reader() == service)
    }

    /// The consumers of a service's feed.
    pub(crate) fn reading(source: Service) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |consumer| consumer.source() == source)
    }

    /// The service that it is in.
    pub(crate) const fn reader(self) -> Service {
        match self {
            Self::BookingOnPayments | Self::BookingOnNotifications => Service::Booking,
            Self::PaymentsOnBooking => Service::Payments,
            Self::NotificationsOnBooking | Self::NotificationsOnPayments => Service::Notifications,
        }
    }

    /// Whose feed it reads.
    pub(crate) const fn source(self) -> Service {
        match self {
            Self::BookingOnPayments | Self::NotificationsOnPayments => Service::Payments,
            Self::BookingOnNotifications => Service::Notifications,
            Self::PaymentsOnBooking | Self::NotificationsOnBooking => Service::Booking,
        }
    }

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BookingOnPayments => "booking-on-payments",
            Self::BookingOnNotifications => "booking-on-notifications",
            Self::PaymentsOnBooking => "payments-on-booking",
            Self::NotificationsOnBooking => "notifications-on-booking",
            Self::NotificationsOnPayments => "notifications-on-payments",
        }
    }
}
