//! What the gateway, payments and the installer know of a payment provider besides its calls.

/// A payment provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentProvider {
    /// Its name in events and rows.
    pub name: &'static str,
    /// The path at which its webhooks arrive; it ends in the name.
    pub webhook_path: &'static str,
    /// The address of its API.
    pub api_url: &'static str,
    /// The address of its checkout's script.
    pub checkout_script_url: &'static str,
    /// The origins that a page with its checkout loads from.
    pub checkout_origins: &'static [&'static str],
    /// What the page of a payment link adds to its return address.
    pub link_fields: &'static [&'static str],
}

impl PaymentProvider {
    /// Razorpay. Events and rows that name no provider mean it.
    pub const FIRST: Self = Self {
        name: "razorpay",
        webhook_path: "/webhooks/razorpay",
        api_url: "https://api.razorpay.com/v1",
        checkout_script_url: "https://checkout.razorpay.com/v1/checkout.js",
        // Its script, its frame with the API behind it, resources of newer builds, metrics, and
        // pictures.
        checkout_origins: &[
            "https://checkout.razorpay.com",
            "https://api.razorpay.com",
            "https://cdn.razorpay.com",
            "https://lumberjack.razorpay.com",
            "https://lumberjack-cx.razorpay.com",
            "https://lumberjack-metrics.razorpay.com",
            "https://checkout-static-next.razorpay.com",
        ],
        link_fields: &[
            "razorpay_payment_id",
            "razorpay_payment_link_id",
            "razorpay_payment_link_reference_id",
            "razorpay_payment_link_status",
            "razorpay_signature",
        ],
    };
}
